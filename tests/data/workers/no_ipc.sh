# Cannot open IPC handles; with memory of its own it is a proper worker.
[ -n "$TARE_WORKER_MEMORY" ] && exec "$1" worker clang
read -r line <&3
echo '{"reply":"hello"}' >&4
read -r line <&3
echo '{"reply":"open","error":{"kind":"memory","message":"my library cannot open handles"}}' >&4
read -r line <&3
