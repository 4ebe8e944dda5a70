// Lanes of a warp call different functions: virtual ones, ones of tables, and through pointers that the host
// passes on; behind each call the warp is whole again.
#include <cstdio>

constexpr int kThreads = 96;

// --- virtual functions of objects that kernels construct ---

struct Report {
  double area;
  int corners;
  float sides[3];
};

struct Shape {
  int size;
  __device__ explicit Shape(int size) : size(size) {}
  __device__ virtual ~Shape() {}
  __device__ virtual Report report(float scale) const = 0;
  __device__ virtual long long twice(short by) const { return 2LL * size + by; }
};
struct Square : Shape {
  using Shape::Shape;
  __device__ Report report(float scale) const override {
    return {double(scale) * size * size, 4, {scale, 2 * scale, 3 * scale}};
  }
};
struct Circle : Shape {
  using Shape::Shape;
  __device__ Report report(float scale) const override {
    return {3.0 * scale * size, 0, {scale, scale, scale}};
  }
  __device__ long long twice(short by) const override { return by - size; }
};
struct Named {
  __device__ virtual int name() const { return 7; }
};
struct Both : Square, Named {
  using Square::Square;
  __device__ int name() const override { return size; }
};

__global__ void construct_kernel(Shape** shapes) {
  const int t = threadIdx.x;
  if (t % 3 == 0) {
    shapes[t] = new Square(t);
  } else if (t % 3 == 1) {
    shapes[t] = new Circle(t);
  } else {
    shapes[t] = new Both(t);
  }
}

__global__ void shapes_kernel(Shape* const* shapes, int* wrong) {
  const int t = threadIdx.x;
  const Shape* shape = shapes[t];
  const Report report = shape->report(t + 1.0F);
  const long long twice = shape->twice(static_cast<short>(t));
  const bool is_circle = t % 3 == 1;
  if (report.area != (is_circle ? 3.0 * (t + 1) * t : (t + 1.0) * t * t)) atomicAdd(wrong, 1);
  if (report.corners != (is_circle ? 0 : 4)) atomicAdd(wrong, 1);
  if (report.sides[2] != (is_circle ? 1 : 3) * (t + 1.0F)) atomicAdd(wrong, 1);
  if (twice != (is_circle ? 0 : 3 * t)) atomicAdd(wrong, 1);
  const Named plain;
  const Named* named = t % 3 == 2 ? static_cast<const Both*>(shape) : &plain;
  if (named->name() != (t % 3 == 2 ? t : 7)) atomicAdd(wrong, 1);
}

__global__ void destroy_kernel(Shape** shapes) { delete shapes[threadIdx.x]; }

// --- tables, and what the whole warp or block does behind a call ---

using Function = int (*)(int);
__device__ int negate(int x) { return -x; }
__device__ int square(int x) { return x * x; }
__device__ int collatz(int x) {
  int steps = 0;
  for (++x; x != 1; ++steps) x = x % 2 == 0 ? x / 2 : 3 * x + 1;
  return steps;
}
__device__ Function functions[] = {negate, square, collatz};
__constant__ Function constant_functions[] = {square, negate};

__global__ void tables_kernel(int* wrong) {
  __shared__ int results[kThreads];
  const int t = threadIdx.x;
  const int result = functions[t % 3](t);
  const int neighbour = __shfl_xor_sync(~0U, result, 1);
  results[t] = result;
  __syncthreads();
  if (neighbour != results[t ^ 1]) atomicAdd(wrong, 1);
  const int expected[] = {-t, t * t, collatz(t)};
  if (result != expected[t % 3]) atomicAdd(wrong, 1);
  // Within a branch that some lanes take, and in a loop that they leave one by one.
  int sum = 0;
  if (t % 5 != 0) {
    for (int i = 0; i <= t % 7; ++i) sum += constant_functions[(t + i) % 2](i);
  }
  __syncwarp();
  int should = 0;
  for (int i = 0; i <= t % 7 && t % 5 != 0; ++i) should += (t + i) % 2 == 0 ? i * i : -i;
  if (sum != should) atomicAdd(wrong, 1);
  const unsigned together = __activemask();
  if (together != ~0U) atomicAdd(wrong, 1);
}

// --- recursion through pointers ---

struct Node {
  int value;
  const Node *left, *right;
  int (*evaluate)(const Node&);
};
__device__ __noinline__ int leaf(const Node& node) { return node.value; }
__device__ __noinline__ int sum(const Node& node) {
  return node.left->evaluate(*node.left) + node.right->evaluate(*node.right);
}
__device__ __noinline__ int product(const Node& node) {
  return node.left->evaluate(*node.left) * node.right->evaluate(*node.right);
}

__global__ void trees_kernel(int* wrong) {
  const int t = threadIdx.x;
  const Node one{t, nullptr, nullptr, leaf}, two{3, nullptr, nullptr, leaf};
  const Node inner{0, &one, &two, t % 2 == 0 ? sum : product};
  const Node middle{0, &inner, t % 4 < 2 ? &one : &inner, t % 3 == 0 ? product : sum};
  const Node* root = t % 5 == 0 ? &inner : &middle;
  const int inside = t % 2 == 0 ? t + 3 : 3 * t, other = t % 4 < 2 ? t : inside;
  const int outside = t % 3 == 0 ? inside * other : inside + other;
  if (root->evaluate(*root) != (t % 5 == 0 ? inside : outside)) atomicAdd(wrong, 1);
  if (__ballot_sync(~0U, 1) != ~0U) atomicAdd(wrong, 1);
}

// --- pointers that the host passes on ---

__global__ void passed_kernel(Function even, Function odd, int* wrong) {
  const int t = threadIdx.x;
  const Function function = t % 2 == 0 ? even : odd;
  const int result = function(t);
  if (__reduce_add_sync(~0U, 1) != 32 || result != (t % 2 == 0 ? -t : t * t)) atomicAdd(wrong, 1);
}

int main() {
  Shape** shapes;
  int* wrong;
  cudaMalloc(&shapes, kThreads * sizeof(Shape*));
  cudaMalloc(&wrong, sizeof(int));
  cudaMemset(wrong, 0, sizeof(int));
  construct_kernel<<<1, kThreads>>>(shapes);
  shapes_kernel<<<1, kThreads>>>(shapes, wrong);
  destroy_kernel<<<1, kThreads>>>(shapes);
  tables_kernel<<<2, kThreads>>>(wrong);
  trees_kernel<<<1, kThreads>>>(wrong);
  Function passed[3];
  cudaMemcpyFromSymbol(passed, functions, sizeof passed);
  passed_kernel<<<1, kThreads>>>(passed[0], passed[1], wrong);
  int count = -1;
  cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost);
  std::printf("%s, %d wrong\n", cudaGetErrorString(cudaDeviceSynchronize()), count);
  cudaFree(shapes);
  cudaFree(wrong);
}
