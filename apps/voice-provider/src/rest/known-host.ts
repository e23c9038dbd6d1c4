const OURS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

/** Whether a Host header names this server. One who sends none is no browser. */
export function isKnownHost(host: string | undefined, others: readonly string[]): boolean {
  if (host === undefined) return true
  const name = host.replace(/:\d{1,5}$/, '').toLowerCase()
  return OURS.includes(name) || others.includes(name)
}
