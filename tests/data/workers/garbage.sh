read -r line <&3
printf 'Segmentation fault? No: \001 garbage\n' >&4
read -r line <&3
