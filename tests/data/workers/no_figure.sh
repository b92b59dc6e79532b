read -r line <&3
echo '{"reply":"hello"}' >&4
read -r line <&3
echo '{"reply":"open"}' >&4
read -r line <&3
