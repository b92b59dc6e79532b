# A proper worker of a library that has no switch for --fp strict: it contracts all the same.
sed -u 's/"fp":"strict"/"fp":"default"/' <&3 | "$1" worker clang 3<&0
