import { entityKey } from './entity-key.ts'

/** Whether a name is that of the person whose reflection it is: the whole of it, or their first name. */
export function isCreator(
  name: string,
  { displayName, creatorName }: { readonly displayName: string; readonly creatorName?: string },
): boolean {
  if (/['’]s?\s/.test(name)) return false
  const key = entityKey(name)
  if (key === '') return false
  return [displayName, creatorName ?? displayName].map(entityKey).some((known) => {
    const [first = ''] = known.split(' ')
    return (
      key === known ||
      key === first ||
      (first !== '' && key.startsWith(`${first} `) && known.endsWith(lastOf(key)))
    )
  })
}

const lastOf = (key: string): string => key.slice(key.lastIndexOf(' '))
