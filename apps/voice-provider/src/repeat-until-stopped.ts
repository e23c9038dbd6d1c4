/** Runs the work now, and again after each pause, until it is stopped. */
export function repeatUntilStopped(
  work: () => Promise<void>,
  pauseMs: number,
  onError: (error: unknown) => void,
) {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false

  const run = async () => {
    await work().catch(onError)
    if (isStopped) return
    timer = setTimeout(() => {
      running = run()
    }, pauseMs).unref()
  }

  let running = run()
  return {
    /** Waits for the run in progress. */
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
