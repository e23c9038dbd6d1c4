import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isUsable } from '../config/provider-state.ts'
import type { ConfiguredProvider } from '../config/providers-of.ts'

/** The file that says that it was told. */
export const HINT_SHOWN = 'provider-hint-shown'

/** How a person gets another model than the offline one; told once for each data folder. */
export async function firstRunHint(
  home: string,
  providers: readonly ConfiguredProvider[],
): Promise<string | undefined> {
  const isFirst = await markShown(join(home, HINT_SHOWN))
  if (!isFirst) return undefined
  const ready = providers.find((provider) => provider.kind !== 'offline' && isUsable(provider))
  return ready
    ? `${ready.name} is ready: parley chat --model ${ready.name}/MODEL; \`parley providers models ${ready.name}\` lists its models.`
    : 'For another model: `parley providers add anthropic --kind anthropic`, with its key in ANTHROPIC_API_KEY.'
}

/** False where it was shown before. A folder that cannot be written is told of by those who need it. */
async function markShown(file: string): Promise<boolean> {
  await mkdir(join(file, '..'), { recursive: true, mode: 0o700 }).catch(() => undefined)
  return writeFile(file, '', { flag: 'wx', mode: 0o600 }).then(
    () => true,
    () => false,
  )
}
