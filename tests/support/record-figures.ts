import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    figures?: readonly string[]
  }
}

/** Prints what a test has counted, for the summary and the record of `npm run soak` too. */
export function recordFigures({ task }: TestContext, figures: string): void {
  console.log(figures)
  task.meta.figures = [...(task.meta.figures ?? []), figures]
}
