import type { TestContext } from 'vitest'

declare module 'vitest' {
  interface TaskMeta {
    figures?: readonly string[]
  }
}

/** Prints figures of a test, and adds them to the summary and record of `npm run soak`. */
export function recordFigures({ task }: TestContext, figures: string): void {
  console.log(figures)
  task.meta.figures = [...(task.meta.figures ?? []), figures]
}
