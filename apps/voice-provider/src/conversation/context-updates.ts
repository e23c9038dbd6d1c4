/** What the client lets the agent know without asking it anything. */
export interface ContextUpdates {
  /** One with the same id takes the place of the earlier one. */
  readonly add: (text: string, id: string | undefined) => void
  addTo(system: string): string
}

/** The latest are kept. */
const MOST_CHARACTERS = 50_000

export function createContextUpdates(): ContextUpdates {
  let updates: readonly { readonly text: string; readonly id: string | undefined }[] = []
  return {
    add(text, id) {
      const others = updates.filter((update) => id === undefined || update.id !== id)
      const all = [...others, { text, id }]
      updates = all.slice(-fitting(all))
    },
    addTo: (system) =>
      updates.length === 0
        ? system
        : [
            system,
            'What has come up during the conversation:',
            ...updates.map(({ text }) => `- ${text}`),
          ].join('\n'),
  }
}

/** How many of the last fit. */
function fitting(updates: readonly { readonly text: string }[]): number {
  let room = MOST_CHARACTERS
  const past = updates.toReversed().findIndex(({ text }) => (room -= text.length) < 0)
  return past === -1 ? updates.length : Math.max(1, past)
}
