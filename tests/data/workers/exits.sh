read -r line <&3
echo "cannot find my library" >&2
exit 3
