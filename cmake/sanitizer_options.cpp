// What the address sanitizer does unless ASAN_OPTIONS says otherwise: it leaves signals alone, since the
// judge sees by them how a submission ended, and a sandbox passes no environment on.
extern "C" const char* __asan_default_options();

extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0";
}
