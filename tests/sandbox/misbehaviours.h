// What a hostile or broken submission may do. One source is both a shared object for the runner and a program
// for the sandbox, so that both meet the same attacks. A function that returns an int returns how many of its
// attempts succeeded.
#pragma once

#include <cstddef>
#include <cstdint>

struct CUstream_st;

/// Names, in the environment, the abstract socket that a test listens on.
inline constexpr char kListeningVariable[] = "LOCKSTEP_TEST_SOCKET";

// Well-behaved, for comparison.
int add(int a, int b);
float scale(float value, double factor);
double mixed(int a, float b, std::int64_t c, double d, const float* e);
std::size_t largest_size();
int sleep_for_milliseconds(int time);
/// Signals to the judge's clock that a timed call is done, and only then begins.
int signal_done_and_sleep(int time);
/// Keeps the thread that calls it from hearing the next request for so many milliseconds.
int sleep_through_the_next_request(int time);
void print_a_line();
/// Prints what the stream points to. Only libuses_cudart.so has it.
void print_the_stream(CUstream_st* stream);

// Of uses_cudart, with kernels that take so long.
void launch_slowly(int host_milliseconds, int kernel_milliseconds);
void launch_and_wait(int kernel_milliseconds);

// Ends of a process.
void exit_early();
void exit_at_once();
void abort_now();
void read_device_address();
void throw_an_error();
void throw_a_number();
void end_only_the_thread();
void stop_itself();

// More than the limits.
void spin();
void sleep_forever();
void allocate_without_end();
void allocate_after_the_first_thread_has_ended();
void allocate_in_many_processes();
/// Reads one byte here and there of terabytes that it never writes.
void fill_page_tables();
void fork_without_end();
void start_threads_without_end();
void print_a_megabyte();
void print_without_end();
int write_a_large_file();
int fill_scratch();
int open_many_files();

// Out of the sandbox.
int write_outside();
int write_kernel_settings();
int read_secrets();
int read_process_one();
/// 1 for libcudart, 2 for libcublas.
int load_libraries();
int signal_other_processes();
int trace_other_processes();
int open_connections();
int make_namespaces();
int see_other_descriptors();
int use_keyrings();
int make_nameless_files();
int make_segments();
int use_calls_for_privileged_programs();
/// How many files it finds in folders of the machine's programs and libraries.
int find_system_files();
void close_every_descriptor();
void kill_the_parent();
void stop_the_parent();
void leave_a_process_behind();

// On the judge's socket (descriptor 3).
void write_nonsense();
void write_a_long_message();
void answer_in_advance();
void answer_the_wrong_request();

/// On the judge's clock (descriptor 5): cuts the file of its words, and lets it grow.
int resize_the_clock();
