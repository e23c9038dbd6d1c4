import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  LedgerPage,
  Reflection,
  RetrievalResult,
  ShareLinkList,
  Source,
  VoiceArtifacts,
} from '@parley/contracts'
import { openLearning } from '@parley/postgres'
import { openTransaction } from '@parley/postgres/testing'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { createHome, parley, readUntil, startParley, waitForEnd } from '../testing/parley-process.ts'
import { type TestServer, runningServer } from '../testing/running-server.ts'

const SLOW = { timeout: 240_000 }

const DEMO_DONE = /✓ demo: (\d+) sources, (\d+) facts/

let at: Awaited<ReturnType<typeof createHome>>
let server: TestServer
beforeAll(async () => {
  at = await createHome()
  server = await runningServer({ ...at, environment: { PARLEY_DEMO: '1' } })
}, 120_000)
afterAll(async () => {
  await server?.stop()
  await at[Symbol.asyncDispose]()
})

const run = (...args: readonly string[]) => parley(['reflections', ...args], at)
const tokens = (...args: readonly string[]) => parley(['tokens', ...args], at)
const runJson = async <T>(shape: z.ZodType<T>, ...args: readonly string[]): Promise<T> => {
  const { stdout, stderr, code } = await run(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return shape.parse(JSON.parse(stdout))
}
const write = async (name: string, text: string) => {
  const path = join(at.home, name)
  await writeFile(path, text)
  return path
}

test('without a running server, the error names the command that starts it', async () => {
  await using other = await createHome()
  const { code, stderr } = await parley(['reflections'], other)
  expect(code).toBe(1)
  expect(stderr).toContain('Parley is not running on the data in')
  expect(stderr).toContain('`parley up`')
})

test('[K4] a file is imported, searched, published and deleted with its reflection', SLOW, async () => {
  expect(server.output()).toContain('✓ worker')
  const made = await runJson(Reflection, 'create', 'Grace Winter')
  const letter = await write('letter.md', '# To Oslo\n\nI live in Tromsø. My boat is called Wanda.\n')
  const added = await run('add', 'Grace Winter', letter, '--namespace', 'letters', '--wait')
  expect(added.code).toBe(0)
  expect(added.stderr).toContain('The folder letters is new')
  expect(added.stdout).toMatch(/^letter\.md: queued\n/)
  expect(added.stdout).toMatch(/letter\.md: completed: [1-9]\d* passages?, [1-9]\d* facts?\n$/)

  const found = await runJson(RetrievalResult, 'ask', made.id, 'What is the boat called?')
  expect(
    found.evidence.some(({ text, namespace }) => text.includes('Wanda') && namespace === 'letters'),
  ).toBe(true)
  const asked = await run('ask', 'grace winter', 'What', 'is', 'the', 'boat', 'called?')
  expect(asked.stdout).toContain('Wanda')
  expect(asked.stdout).toMatch(/\d+ results? in [\d.]+ ms\.\n$/)
  expect((await run('facts', 'Grace Winter')).stdout).toContain('Wanda')

  const again = await run(
    'add',
    made.id,
    letter,
    '--namespace',
    'letters',
    '--wait',
    '--replaces',
    await firstSource(made.id),
  )
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('skipped: already imported') })
  const broken = await write('scan.png', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR')
  const failed = await run('add', made.id, broken, '--wait')
  expect(failed).toMatchObject({ code: 1, stdout: expect.stringContaining('scan.png: failed: ') })

  const askAsPublic = () => run('ask', made.id, 'What is the boat called?', '--public')
  expect((await askAsPublic()).stdout).toContain('It has no public folders: parley reflections publish')
  expect((await run('publish', made.id.slice(0, 12), 'letters')).stdout).toBe('Public now: letters.\n')
  expect((await askAsPublic()).stdout).toMatch(/Wanda[^]*, public folders only\.\n$/)
  expect((await run('unpublish', made.id, 'letters')).stdout).toBe('It has no public folders.\n')
  expect((await askAsPublic()).stdout).not.toContain('Wanda')
  expect((await run('show', made.id)).stdout).toContain('folder     letters')
  const source = await firstSource(made.id)
  expect((await run('remove-source', made.id, source)).code).toBe(2)
  expect((await run('remove-source', made.id, source, '--yes')).stdout).toContain('is being removed')
  expect((await run('remove', made.id)).code).toBe(2)
  expect((await run('remove', made.id, '--yes')).stdout).toBe('Grace Winter is removed.\n')
  expect((await run('show', made.id)).code).toBe(2)
})

const firstSource = async (id: string) => {
  const { items } = await runJson(z.object({ items: z.array(Source) }), 'sources', id)
  return items[0]?.id ?? ''
}

test('[K3] a patch that needs a person is approved, then reverted', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Careful', '--review')
  const WAITS = `2 facts are waiting for review: parley reflections patches ${id.slice(4, 12)} --status proposed`
  const diary = await write('diary.md', 'I have lived in Bergen since 2004. I work as a baker.\n')
  expect((await run('add', id, diary, '--wait')).stdout).toContain(WAITS)
  expect((await run('sources', id)).stdout).toContain(WAITS)
  expect((await run('show', id)).stdout).toContain(WAITS)
  const Patches = z.object({ items: z.array(z.object({ id: z.string(), status: z.string() })) })
  const latest = async () => (await runJson(Patches, 'patches', id)).items[0]
  const waiting = await latest()
  expect(waiting?.status).toBe('proposed')
  expect((await run('patches', id)).stdout).toMatch(/diary\.md {2}2 facts\n[^]*parley reflections approve/)
  const approved = await run('approve', id, waiting?.id.slice(4, 14) ?? '')
  expect(approved).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('applied: 2 facts are now active'),
  })
  expect(await run('approve', id, waiting?.id ?? '')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('was applied already. Only a patch that is waiting can be approved'),
  })

  await run('add', id, await write('later.md', 'I have lived in Tromsø since 2020.\n'), '--wait')
  const DIFF = /\n {2}- Careful lives in Bergen since 2004\.\n {2}\+ Careful lives in Tromsø since 2020\. /
  expect((await run('patches', id)).stdout).toMatch(DIFF)
  const later = (await latest())?.id ?? ''
  expect((await run('approve', id, later, '--no-wait')).stdout).toContain('will be applied')
  await expect.poll(async () => (await latest())?.status, { timeout: 60_000 }).toBe('applied')
  expect((await run('patch', id, later)).stdout).toMatch(DIFF)
  expect((await run('facts', id)).stdout).toMatch(/^~ \w+ Careful lives in Bergen since 2004\. /m)
  expect((await run('facts', id, '--state', 'active')).stdout).not.toContain('Bergen')

  expect((await run('revert', id, waiting?.id ?? '')).stdout).toContain(
    'is reverted: its facts are no longer used',
  )
})

test(
  '[P9] versions are shown, compared and verified, and a wrong review decision is found',
  SLOW,
  async () => {
    const { id } = await runJson(Reflection, 'create', 'Ida')
    await run('add', id, await write('ida.md', 'I live in Bergen. I work as a baker.\n'), '--wait')
    const serving = async () => {
      const { live = 0 } = await runJson(LedgerPage, 'artifacts', id)
      return live > 0 ? (await run('artifacts', id, '--generation', String(live))).stdout : ''
    }
    await expect.poll(serving, { timeout: 60_000 }).toContain('Bergen')
    const { live = 0 } = await runJson(LedgerPage, 'artifacts', id)
    expect((await run('artifacts', id)).stdout).toMatch(
      new RegExp(`#\\d+  version ${live}   promoted  in use`),
    )
    await run('add', id, await write('ida-later.md', 'I like rowing.\n'), '--wait')
    await expect.poll(serving, { timeout: 60_000 }).toContain('rowing')
    const { live: later = 0, items: latest } = await runJson(LedgerPage, 'artifacts', id)
    const diff = await run('artifacts', id, '--diff', `${live}..${later}`)
    expect(diff.stdout.match(/rowing/g)).toHaveLength(1)
    expect(diff.stdout).toMatch(/^\+ .*rowing\. {2}\(evidence, private dossier, packs /m)
    expect((await run('artifacts', id)).stdout).toMatch(/ {2}candidate {2}/)
    expect((await run('artifacts', id)).stdout).toMatch(/ {2}evaluated, no problems found {2}/)
    expect((await run('artifacts', id, '--diff', `${live}..${live}`)).stdout).toContain('are the same')
    expect((await run('artifacts', id, '--diff', 'all')).stderr).toContain('two versions, such as 3..5')
    const right = await run('verify', id)
    expect(right).toMatchObject({ code: 0, stdout: expect.stringContaining(latest[0]?.entryHash ?? '-') })

    const learning = openLearning(server)
    const { artifacts } = await runJson(
      z.object({ artifacts: VoiceArtifacts }),
      'artifacts',
      id,
      '-g',
      String(later),
    )
    const build = await learning.artifacts.begin(id)
    if (!build) throw new Error('It is there')
    await learning.artifacts.addCandidate(build, artifacts)
    await learning.artifacts.finish(build, { verdict: 'rejected', reasons: ['made up'] })
    await learning.close()
    expect((await run('artifacts', id)).stdout).toContain('! made up')
    const wrong = await run('verify', id)
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toContain(
      `the recorded verdict on generation ${build.generation} does not match a new evaluation`,
    )
  },
)

test('[K3] a wrong fact is corrected by its id after approval', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Mended')
  await run('add', id, await write('wrong.md', 'I live in Bergen.\n'), '--wait')
  const listed = await run('facts', id)
  const [, fact = ''] = /^\+ (\w+) Mended lives in Bergen\./m.exec(listed.stdout) ?? []
  expect(listed.stdout).toContain('“I live in Bergen.” (wrong.md)')
  expect(listed.stdout).toContain(`parley reflections correct ${id.slice(4, 12)} ${fact}`)
  const corrected = await run('correct', id, fact, 'Mended lives in Oslo.')
  expect(corrected.code).toBe(0)
  expect(corrected.stdout).toMatch(/proposed .* {2}a correction {2}1 fact, replacing 1\n/)
  expect(corrected.stdout).toMatch(/- Mended lives in Bergen\.\n {2}\+ Mended lives in Oslo\./)
  const [, patch = ''] = /approve \w+ (\w+)/.exec(corrected.stdout) ?? []
  expect((await run('approve', 'mend', patch)).stdout).toContain('1 fact is now active, replacing 1')
  const active = (await run('facts', id, '--state', 'active')).stdout
  expect(active).toMatch(/lives in Oslo[^]*\(a correction\)/)
  expect(active).not.toContain('Bergen')
  expect(await run('correct', id, 'zzzz', 'Mended lives in Oslo.')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('There is no active fact whose id starts with "zzzz".'),
  })
})

test(
  'a reflection is renamed, gets a voice, takes text from standard input, and lists its changes',
  SLOW,
  async () => {
    const { id } = await runJson(Reflection, 'create', 'Before')
    const changed = await run('change', id, '--name', 'Afterwards', '--review', 'on')
    expect(changed.stdout).toBe(
      'Afterwards: new facts are approved by a person; facts from conversations by a person.\n',
    )
    expect((await run('change', id, '--review-sessions', 'off')).stdout).toContain(
      'facts from conversations automatically.',
    )
    expect((await run('change', id)).stderr).toContain('--review off')
    const voiced = await run('change', id, '--voice', 'slt', '--stock', '--share-ingestion', 'on')
    expect(voiced.stdout).toContain("Its voice: slt, a stock voice.\nVisitors' messages: used for learning.")
    const own = await runJson(Reflection, 'change', id, '--voice', 'own-1', '--consent')
    expect(own.voice).toEqual({ voiceId: 'own-1', kind: 'clone', consent: true, isUnlisted: true })
    expect((await run('show', id)).stdout).toMatch(
      /voice +own-1, a cloned voice with consent; not available at the voice provider\n/,
    )
    const none = await runJson(Reflection, 'change', id, '--voice', 'none', '--share-ingestion', 'off')
    expect(none).toMatchObject({ shareIngestion: false })
    expect(none.voice).toBeUndefined()
    expect((await run('change', id, '--consent')).stderr).toContain('--voice ID')
    const piped = (...args: readonly string[]) =>
      parley(['reflections', 'add', 'afterw', '-', ...args], { ...at, input: 'I live in Bergen.' })
    expect((await piped()).stderr).toContain('--title')
    expect((await piped('--title', 'A note', '--wait')).stdout).toContain(
      'A note: completed: 1 passage, 0 facts',
    )
    const { code } = await parley(['reflections', 'add', id, '-', '--title', 'None'], { ...at, input: ' ' })
    expect(code).toBe(2)
    await run('publish', id, 'general')
    expect((await run('audit', id)).stdout).toMatch(/Owner +\w*publish/i)
  },
)

test('[A2] a new token gives a person a role in a reflection, and can be revoked', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Shared')
  const made = await tokens('create', 'Grace', 'Hopper', '--role', 'viewer', '--reflection', id)
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/^parley_[\w-]{43}\n$/) })
  const [, personId = ''] = /\((per_\w+)\)/.exec(made.stderr) ?? []
  expect((await run('members', id)).stdout).toMatch(new RegExp(`${personId} +viewer +Grace Hopper`))
  expect((await run('members', id, '--set', `${personId}=operator`)).stdout).toContain('operator')
  const listed = (await tokens('list')).stdout
  expect(listed).not.toContain('parley_')
  const [, tokenId = ''] = new RegExp(`^(\\w+) +${personId}`, 'm').exec(listed) ?? []
  expect((await tokens('revoke', tokenId)).stdout).toBe('The token of Grace Hopper was revoked.\n')
  expect((await tokens('list')).stdout).not.toContain(personId)
  expect((await tokens('create', 'Nobody')).code).toBe(2)
})

test('[A2] a person is invited to one reflection by a link, and removed again', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Invited to')
  const made = await run('invite', id, 'Grace', 'Hopper', '--role', 'operator')
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(new RegExp(`^http\\S+/reflections/${id}#token=parley_[\\w-]{43}\\n$`)),
  })
  const [, personId = ''] = /\((per_\w+)\)/.exec(made.stderr) ?? []
  expect(made.stderr).toContain(`--remove ${personId}`)
  expect(made.stderr).toMatch(/works on this machine only.*PARLEY_PUBLIC_URL/s)
  expect((await run('members', id)).stdout).toMatch(
    new RegExp(`${personId} +operator +Grace Hopper +published +\\d{4}-\\d\\d-\\d\\d `),
  )
  const again = await run('invite', id, '--again', personId)
  expect(again.stdout).toMatch(/#token=parley_[\w-]{43}\n$/)
  expect(again.stdout).not.toBe(made.stdout)
  expect(again.stderr).toContain('Grace Hopper')
  expect((await run('leave', id)).stderr).toContain('only owner')
  expect((await run('members', id, '--remove', personId)).stdout).not.toContain(personId)
  expect((await run('invite', id, 'Grace', '--role', 'guest')).stderr).toContain(
    '--role must be one of owner, admin',
  )
  expect((await run('invite', id, ' ')).code).toBe(2)
})

test('[A1] an invitation shows what the person can read, and that can be changed', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Read in part')
  const all = await run('invite', id, 'Ada', '--namespaces', 'all')
  expect(all.stderr).toContain('Ada can read all namespaces, the private ones too: conversations, general.')
  const some = await run('invite', id, 'Grace', '--namespaces', 'general')
  expect(some.stderr).toContain('Grace can read these private namespaces: general')
  const none = await run('invite', id, 'Joan')
  expect(none.stderr).toContain('Joan can read no namespace: none is published, and none is chosen.')
  const [, personId = ''] = /\((per_\w+)\)/.exec(none.stderr) ?? []
  const changed = await run('members', id, '--change', personId, '--namespaces', 'general,conversations')
  expect(changed.stdout).toMatch(/viewer +Joan +published, conversations, general/)
  expect((await run('members', id, '--change', personId)).stderr).toContain('--namespaces FOLDERS')
  const unknown = await run('members', id, '--change', personId, '--namespaces', 'nowhere')
  expect(unknown.stderr).toContain('There are: conversations, general')
  const token = await tokens('create', 'Mary', '--role', 'viewer', '--reflection', id)
  expect(token.stderr).toContain('Mary can read all namespaces')
})

test('invalid input is refused before anything is sent, with what to change', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Picky')
  const note = await write('note.txt', 'I live in Oslo.')
  const rows: readonly (readonly [readonly string[], string])[] = [
    [['create', ' '], 'A reflection needs a name.'],
    [['add', id], 'parley reflections add [options] <id> <files...>'],
    [['add', id, at.home], 'is a folder'],
    [['add', id, note, at.home, 'nowhere.md'], '2 of 3 files cannot be imported. Nothing was sent.'],
    [['add', id, note, '--namespace', 'conversations'], 'it holds session transcripts only'],
    [['add', id, await write('empty.txt', '')], 'is empty'],
    [['add', id, note, '--namespace', 'My Letters'], '--namespace must have lower-case letters'],
    [['add', id, note, '--title', ' '], '--title must not be empty'],
    [['ask', id, 'Who?', '--public', '--namespace', 'general'], 'no published namespace general'],
  ]
  for (const [args, said] of rows) {
    expect([args, await run(...args)]).toMatchObject([
      args,
      { code: 2, stderr: expect.stringContaining(said) },
    ])
  }
  expect((await run('sources', id)).stdout).toContain('It has no sources yet')
  expect((await run('ask', id, 'Who?')).stdout).toContain('It has no sources yet')
})

test('Ctrl-C while `add` waits reports the sent files, which are still imported', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Patient')
  const file = await write('long.txt', 'The water was calm, and nobody came by the quay.')
  const learning = await openTransaction(server.databaseUrl, 'lock table ingest_texts in share mode')
  // The server stops only after its imports, which wait for this lock.
  onTestFinished(() => learning.end())
  const adding = startParley(['reflections', 'add', id, file, '--wait'], at)
  const cancelled = waitForEnd(adding)
  await readUntil(adding.stdout, /long\.txt: /)
  adding.stdout.resume()
  adding.kill('SIGINT')
  expect(await cancelled).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('1 of 1 file reached the server and will still be imported'),
  })
  await learning.end()
  const Sources = z.object({ items: z.array(Source) })
  const state = async () => (await runJson(Sources, 'sources', id)).items[0]?.state
  await expect.poll(state, { timeout: 120_000, interval: 500 }).toBe('completed')
})

test('members are listed', async () => {
  const { id } = await runJson(Reflection, 'create', 'Kept')
  expect((await run('members', id)).stdout).toMatch(/per_owner\s+owner\s+Owner/)
  expect((await run('members', id, '--set', 'ada')).stderr).toContain('per_…=ROLE')
})

test('[V17] a share link is created, listed without its token, and revoked', SLOW, async () => {
  const { id } = await runJson(Reflection, 'create', 'Shared Person')
  const shared = await run('share', id, '--namespaces', 'general', '--max-uses', '3', '--expires', '7d')
  expect(shared).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^http:\/\/\S+\/r\/shr_[\w-]{43}\n$/),
  })
  expect(shared.stderr).toContain(
    'can talk with Shared Person about the public folders general, 3 times, until',
  )
  expect(shared.stderr).toMatch(/works on this machine only.*PARLEY_PUBLIC_URL/s)
  expect(shared.stderr).toContain('Revoke it with: parley reflections unshare')
  const address = shared.stdout.trim().replace('/r/', '/v1/r/')
  expect((await fetch(address)).status).toBe(200)

  const { items } = await runJson(ShareLinkList, 'links', id)
  expect(items).toMatchObject([{ namespaces: ['general'], maxUses: 3, uses: 0 }])
  expect(shared.stderr).toContain('The link does not work yet: none of its folders is public.')
  expect((await run('links', id)).stdout).toContain('inactive: none of its folders is public')
  await run('publish', id, 'general')
  const listed = await run('links', id)
  expect(listed.stdout).toMatch(/0 of 3 +until .* +general\n$/)
  expect(listed.stdout).not.toContain('shr_')

  expect((await run('unshare', id, items[0]?.id ?? '')).stdout).toContain(
    'The link was revoked. Its sessions have ended.',
  )
  expect((await fetch(address)).status).toBe(404)
  expect((await run('links', id)).stdout).toContain('revoked')
  const wrong = await run('share', id, '--expires', 'soon')
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('such as 30m, 12h or 7d') })
})

const demo = new URL('../../../../demo/reflection.json', import.meta.url)
test.runIf(existsSync(demo))(
  'a new data folder gets the demo, which answers under its name',
  async () => {
    await expect.poll(server.output, { timeout: 120_000, interval: 250 }).toMatch(DEMO_DONE)
    const [, sources, facts] = DEMO_DONE.exec(server.output()) ?? []
    expect(Number(sources)).toBeGreaterThan(10)
    expect(Number(facts)).toBeGreaterThan(10)
    expect((await run('show', 'demo')).stdout).toContain('(public)')
    const { evidence } = await runJson(RetrievalResult, 'ask', 'demo', 'Where did she work?')
    expect(evidence.length).toBeGreaterThan(0)
  },
  150_000,
)
