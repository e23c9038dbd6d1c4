import { useState } from 'react'

type CopyResult = 'none' | 'copied' | 'refused'

/** Copies a text to the clipboard. Browsers may refuse, and offer no clipboard over plain HTTP. */
export function useCopy(text: string) {
  const [last, setLast] = useState<{ readonly text: string; readonly result: CopyResult }>()
  const copy = async (): Promise<CopyResult> => {
    const outcome = await writeToClipboard(text)
    setLast({ text, result: outcome })
    return outcome
  }
  const result: CopyResult = last?.text === text ? last.result : 'none'
  return { result, copy }
}

async function writeToClipboard(text: string): Promise<CopyResult> {
  try {
    await navigator.clipboard.writeText(text)
    return 'copied'
  } catch {
    return 'refused'
  }
}
