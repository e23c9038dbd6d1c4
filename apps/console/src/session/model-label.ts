import type { SessionView } from '@parley/contracts'

/** The built-in model is named for what it is, so that nobody takes its quoting for thought. */
export const isOffline = ({ provider, model }: Pick<SessionView, 'provider' | 'model'>): boolean =>
  provider === 'offline' || model === 'offline'

export const OFFLINE_EXPLAINED =
  'No model provider is set up, so the built-in offline model answers. It finds and quotes; it does not think.'
