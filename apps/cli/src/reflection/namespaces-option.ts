import { MemberNamespaces } from '@parley/contracts'
import { z } from 'zod'

/** Which private namespaces somebody reads: `all`, or names with commas between them. */
export const NamespacesOption = z
  .string()
  .transform((given) =>
    given.trim() === 'all' ? 'all' : given.split(',').flatMap((name) => name.trim() || []),
  )
  .pipe(MemberNamespaces)
  .optional()
