# A proper worker that prints a lot where libraries print: none of it may matter.
head -c 33554432 /dev/zero | tr '\0' 'y'
head -c 33554432 /dev/zero | tr '\0' 'z' >&2
echo '{"reply":"hello"}'
exec "$1" worker clang
