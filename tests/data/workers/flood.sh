# Prints 64 MiB to stderr and then ends without an answer.
read -r line <&3
head -c 67108864 /dev/zero | tr '\0' 'x' >&2
echo >&2
echo "the last line" >&2
exit 1
