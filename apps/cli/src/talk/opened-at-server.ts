import type { ApiClient } from '@parley/api-client'
import { createServerSlashHost } from '../slash/server-slash-host.ts'
import type { Status } from '../render/status-line.ts'
import type { Conversation } from './conversation.ts'
import type { Opened } from './run-conversation.ts'

type Given = Pick<Opened, 'greet' | 'aside' | 'waiting' | 'afterwards'> &
  Partial<Pick<Opened, 'history'>> &
  Pick<Status, 'agent' | 'model' | 'provider'> & { readonly leaving?: string }

/** A conversation in a session of the Parley that runs: no file of this machine goes there. */
export const openedAtServer = (
  conversation: Conversation,
  client: ApiClient,
  { agent, model, provider, leaving, ...given }: Given,
): Opened => ({
  conversation,
  history: [],
  earlier: async () => [],
  slash: createServerSlashHost(conversation, client, leaving),
  status: () => ({ agent, model, provider }),
  onTurnEnd: async () => undefined,
  close: async () => undefined,
  files: 'not-taken',
  ...given,
})
