import type { Agent } from '@parley/contracts'

export const OFFLINE_AGENT: Agent = {
  id: 'offline',
  name: 'Offline',
  model: 'offline',
  provider: 'offline',
  system_prompt: '',
}
