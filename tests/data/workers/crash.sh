# Says something, then dies of a signal in the middle of a request.
read -r line <&3
echo "first words" >&2
echo "about to crash" >&2
kill -SEGV $$
