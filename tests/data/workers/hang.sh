# Never answers, and has a child of its own that would outlive it.
read -r line <&3
sleep 1000 &
wait
