// Linked lists made with the device's own malloc: one launch builds them, pushing onto a head shared by all
// threads with a compare-and-swap of pointers; another walks and frees them.
struct Node {
  Node* next;
  unsigned value;
};

__device__ Node* heads[16];
__device__ unsigned failures;

extern "C" __global__ void build(const unsigned* values, unsigned n) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= n) return;
  Node* node = (Node*)malloc(sizeof(Node));
  if (node == nullptr) {
    atomicAdd(&failures, 1u);
    return;
  }
  node->value = values[at];
  unsigned long long* head = (unsigned long long*)&heads[values[at] % 16];
  unsigned long long expected = *head;
  for (;;) {
    node->next = (Node*)expected;
    __threadfence();
    const unsigned long long seen = atomicCAS(head, expected, (unsigned long long)node);
    if (seen == expected) break;
    expected = seen;
  }
}

extern "C" __global__ void drain(unsigned long long* sums, unsigned* lengths, unsigned* failed) {
  const unsigned list = threadIdx.x;
  unsigned long long sum = 0;
  unsigned length = 0;
  for (Node* node = heads[list]; node != nullptr; ++length) {
    Node* next = node->next;
    sum += node->value;
    free(node);
    node = next;
  }
  heads[list] = nullptr;
  sums[list] = sum;
  lengths[list] = length;
  if (list == 0) *failed = failures;
}
