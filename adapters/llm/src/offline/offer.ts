import { inFirstPerson } from './first-person.ts'

/** Something that could be told instead, in a few words, and not the same each time; undefined where nothing names a topic. */
export function offerFrom(
  statements: readonly string[],
  { owner, told, seed }: { readonly owner: string; readonly told: string; readonly seed: number },
): string | undefined {
  const all = statements
    .map((statement) => inFirstPerson(statement, owner).replace(/[.!]$/, ''))
    .flatMap((statement) =>
      TOPICS.flatMap(([pattern, topic]) =>
        pattern.test(statement) ? [statement.replace(pattern, topic)] : [],
      ),
    )
    .filter((topic) => topic.length <= LONGEST)
  const topics = [...new Set(all)]
  const open = topics.filter((topic) => !told.includes(topic))
  return open[seed % open.length] ?? topics[0]
}

const LONGEST = 60

/** What a statement in the first person is about. */
const TOPICS: readonly (readonly [RegExp, string])[] = [
  [/^I play ([^,]+)$/, 'how I play $1'],
  [/^I wrote (\p{Lu}[^,]+?)(?: in \d{4})?$/u, 'what I wrote, such as $1'],
  [/^My (\p{Ll}+) (?:is|was) (\p{Lu}\p{L}+)$/u, 'my $1 $2'],
  [/^I (?:work|worked) at ([^,]+?)(?: (?:since|from|in|until) .*)?$/, 'my work at $1'],
  [/^I studied (?!at )([^,]+?)(?: (?:from|in) \d.*)?$/, 'how I studied $1'],
  [/^I was born .*$/, 'where I was born'],
  [/^I live in ([^,]+)$/, 'my life in $1'],
  [/^I (?:like|love|enjoy) ([^,]+)$/, '$1'],
  [/^I speak .*$/, 'the languages that I speak'],
]
