import type { ApiClient } from '@parley/api-client'
import type { SessionView } from '@parley/contracts'
import type { NamedSession } from './named-session.ts'

/** One of the Parley that runs. */
export async function sessionThere(view: SessionView, client: ApiClient): Promise<NamedSession> {
  const { sessions } = client
  const { id } = view
  return {
    id,
    view,
    agent: await speakerOf(view, client),
    readMessages: async (sessionId, { after, limit }) =>
      (await sessions.messages({ sessionId, after, limit })).items,
    getMedia: (sessionId, handle) => sessions.media({ sessionId, handle }),
    look: () => sessions.get(id),
    rename: async (title) => void (await sessions.rename({ sessionId: id, title })),
    end: async () => void (await sessions.end(id)),
    cancel: async () => (await sessions.cancel(id)).cancelled,
    remove: () => sessions.remove(id),
    exported: () => sessions.export(id),
    // The server has noted it when it gave the file.
    noteExport: async () => undefined,
  }
}

/** Whom the session is with: a reflection by its name, any other agent by its model. */
async function speakerOf({ reflection, model }: SessionView, client: ApiClient): Promise<string> {
  if (reflection?.id === undefined) return model
  return (await client.reflections.get(reflection.id)).displayName
}
