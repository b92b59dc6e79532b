# A proper worker that never contracts, whatever it is asked for.
sed -u 's/"fp":"default"/"fp":"strict"/' <&3 | "$1" worker clang 3<&0
