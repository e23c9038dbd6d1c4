import { SearchFilesInput, toolInput } from '@parley/contracts'
import { type Plan, refuse, type Refusal, type Tool } from '@parley/engine'
import type { FileHost } from './file-host.ts'
import { compilePattern } from './match-lines.ts'
import { noSuchFile } from './no-such-file.ts'
import { runSearch } from './run-search.ts'

export const searchFiles = (host: FileHost): Tool<SearchFilesInput> => ({
  name: 'search_files',
  description:
    'Finds lines in text files, as path:line: text. Leaves out what .gitignore does, binaries, files over 5 MB and protected ones.',
  input: toolInput(SearchFilesInput),
  mayRepeat: true,
  async plan(input): Promise<Plan | Refusal> {
    const pattern = compilePattern(input.pattern, input.is_regex === true, input.ignore_case === true)
    if (typeof pattern === 'string') return refuse(`The pattern cannot be used: ${pattern}.`, 'validation')
    const scope = await host.openScope()
    if (scope.kind === 'refused') return scope
    const place = await scope.resolve(input.path ?? '.', 'read')
    if (place.kind === 'refused') return place
    if (place.missing.length > 0) return noSuchFile(scope, place)
    const { mask } = host.hidden
    const search = { pattern, mask, glob: input.glob, contextLines: input.context_lines ?? 0 }
    return {
      kind: 'plan',
      target: place.shown,
      origin: `the files in ${place.shown}`,
      carryOut: (signal) => runSearch(scope, place, search, signal),
    }
  },
})
