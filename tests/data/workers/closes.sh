read -r line <&3
exec 4>&-
sleep 1000
