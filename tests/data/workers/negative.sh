read -r line <&3
echo '{"reply":"hello"}' >&4
read -r line <&3
echo '{"reply":"open","open_ms":-1}' >&4
read -r line <&3
