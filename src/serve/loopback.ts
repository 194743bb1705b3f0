/** The names of this machine, as opposed to a foreign name that was made to resolve to it (DNS rebinding). */

/** True for the address or name of the loopback interface, with or without a port, as a Host header gives it. */
export const isLoopback = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)(:\d+)?$/i.test(host);
