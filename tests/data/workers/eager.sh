echo '{"reply":"hello"}' >&4
echo '{"reply":"open","open_ms":1}' >&4
cat <&3 >/dev/null
