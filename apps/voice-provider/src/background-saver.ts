export interface BackgroundSaver {
  /** Saves after the save in progress. Further calls until then change nothing. */
  schedule(): void
  /** Waits until all scheduled saves are done. */
  settle(): Promise<void>
}

/** Saves in the background, one save at a time. */
export function createBackgroundSaver(
  save: () => Promise<unknown>,
  onError: (error: unknown) => void,
): BackgroundSaver {
  let saving: Promise<void> = Promise.resolve()
  let isScheduled = false

  const saveNow = async () => {
    isScheduled = false
    await save()
  }

  return {
    schedule() {
      if (isScheduled) return
      isScheduled = true
      saving = saving.then(saveNow).catch(onError)
    },
    settle: () => saving,
  }
}
