#pragma once

namespace assay {

/// Starts the program anew with OpenMP threads that wait asleep after a short spin, unless the environment
/// already says how they wait. By default they spin for milliseconds at every barrier: alone on the machine
/// that is free, but beside one busy process training slowed down tenfold, and the window's thread got no
/// core. libgomp reads the setting while it is loaded, before `main`, hence the new start. `words`: of
/// `main`. Returns where nothing had to be done, or where it could not be.
void restartWithShortSpin(char** words);

} // namespace assay
