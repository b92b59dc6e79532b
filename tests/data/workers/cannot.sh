read -r line <&3
echo '{"reply":"hello"}' >&4
read -r line <&3
echo '{"reply":"open","error":{"kind":"unsupported","message":"my library has no size_t"}}' >&4
read -r line <&3
