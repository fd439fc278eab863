/** The process's environment → the same with onnxruntime's telemetry off: nothing may leave the machine unasked. */

/**
 * onnxruntime 1.30 for Linux and macOS otherwise keeps a device id in the user's cache folder and sends events to its maker.
 * It reads the variable once, when the library is loaded, and from the real environment: a worker's `process.env` is a copy,
 * so this is called in the main thread before the worker starts. On Windows it hands events to the system (ETW), whose own
 * settings decide.
 */
export function disableTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  // As later versions call it.
  process.env['ORT_TELEMETRY_DISABLED'] = '1';
}
