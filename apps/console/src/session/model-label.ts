import type { SessionView } from '@parley/contracts'

/** The built-in model is named for what it is, so that nobody takes its quoting for thought. */
export const isOffline = ({ provider, model }: Pick<SessionView, 'provider' | 'model'>): boolean =>
  provider === 'offline' || model === 'offline'

export const OFFLINE_EXPLAINED =
  'The built-in offline model answers here. It finds and quotes; it does not think. For another model in new sessions, set default_model under [chat] in config.toml.'
