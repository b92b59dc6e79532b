read -r line <&3
printf '{"reply":"hel' >&4
exit 0
