# Two lines at once: the second before its question.
read -r hello <&3
printf '{"reply":"hello"}\n{"reply":"open","open_ms":1}\n' >&4
cat <&3 >/dev/null
