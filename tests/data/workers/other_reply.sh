read -r line <&3
echo '{"reply":"build","build_ms":1}' >&4
read -r line <&3
