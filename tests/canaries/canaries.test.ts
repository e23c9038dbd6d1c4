import { VoiceSessionResponse } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { query } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { type Seen, sightings } from './canary.ts'
import { eventually, PUBLISHED } from './garden.ts'
import { openSurfaces } from './open-surfaces.ts'
import { type Planted, plantedServer } from './planted-server.ts'
import { QUESTIONS, spokenSurfaces, typedSurfaces } from './visitor-surfaces.ts'

let server: Planted
let link: string
/** Names a namespace that is not published beside one that is. */
let narrowLink: string
beforeAll(async () => {
  server = await plantedServer()
  link = (await server.share()).token
  narrowLink = (await server.share({ namespaces: ['essays', ...server.hidden] })).token
})
afterAll(() => server[Symbol.asyncDispose]())

/** Whatever shows and is private, and where what is published does not show, by which the rest would be seen too. */
function wrongIn(seen: readonly Seen[], ...wheres: readonly string[]): readonly string[] {
  const published = sightings(seen, [PUBLISHED])
  const blind = wheres.filter((where) => !published.includes(`${PUBLISHED.place} shows in ${where}`))
  return [...sightings(seen, server.canaries), ...blind.map((where) => `nothing shows in ${where}`)]
}

/** The canaries' own words, a few at a time; a session is called by what is said first, and summed up by what is said last. */
const ownWords = () => [
  'Good day.',
  ...Array.from({ length: Math.ceil(keptCanaries().length / EACH) }, (_, index) => {
    const some = keptCanaries().slice(index * EACH, (index + 1) * EACH)
    return `What of ${some.map(({ word }) => word).join(' and ')}?`
  }),
  'Where did you grow up?',
]
const EACH = 4

/** Of what was refused, said off the record or is secret, nothing is stored as it is. */
const NOT_KEPT = /refused|is none|is no JSON|off the record|secret|key|token/
const keptCanaries = () => server.canaries.filter(({ place }) => !NOT_KEPT.test(place))

test('every canary stands where it was planted, and what is private shows it', async () => {
  const kept = keptCanaries()
  const stored = [{ where: 'the database', text: await databaseText() }]
  expect(kept.length).toBeGreaterThan(25)
  expect(sightings(stored, kept)).toHaveLength(kept.length)

  const artifacts = (await server.database.runtime.promoted(server.reflectionId))?.artifacts
  const parts = {
    capsule: artifacts?.capsule,
    narrative: artifacts?.persona_narrative,
    dossier: artifacts?.reflection_voice_dossier.private,
    pack: artifacts?.prompt_packs.private_memory,
  }
  const held = Object.entries(parts).map(([where, part]) => ({ where, text: JSON.stringify(part) }))
  const ofCapsule = server.canaries.filter(({ place }) => place === 'a fact of the capsule')
  expect(sightings(held, ofCapsule)).toHaveLength(held.length)

  const start = { channel: 'voice', reflectionId: server.reflectionId }
  const { dynamicVariables } = VoiceSessionResponse.parse(
    (await server.call('POST', '/sessions', start)).answer,
  )
  const told = Object.entries(dynamicVariables).map(([where, text]) => ({ where, text }))
  expect(sightings(told, server.canaries)).toEqual(
    expect.arrayContaining([
      'the words of the owner shows in session_recap',
      'the title of a session of the owner shows in user_context',
      'the name of the creator shows in creator_name',
      'the name of a namespace shows in reflection_namespaces',
    ]),
  )
})

async function databaseText(): Promise<string> {
  const tables = await query(
    server.databaseUrl,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts = tables.map(async ({ name }) =>
    JSON.stringify(await query(server.databaseUrl, `select t::text from ${String(name)} as t`)),
  )
  return (await Promise.all(texts)).join('\n')
}

describe('[P5] no canary of a private place shows', () => {
  test('to who types', async () => {
    const seen = await typedSurfaces(server, link, QUESTIONS)
    expect(
      wrongIn(seen, 'the events of a turn', 'the stream of events', 'the prompt of a typed session'),
    ).toEqual([])
  })

  test('to who speaks', async () => {
    const seen = await spokenSurfaces(server, link, QUESTIONS)
    expect(
      wrongIn(
        seen,
        'the answer to a spoken start, and its variables',
        'an answer of retrieve-context',
        'the frames of a call',
        'the call as the provider keeps it',
        'the public agent as the provider holds it',
        'the prompt of a spoken session',
      ),
    ).toEqual([])
  })

  test('to who asks for it in its own words', async () => {
    const seen = [
      ...(await typedSurfaces(server, link, ownWords())),
      ...(await spokenSurfaces(server, link, ownWords())),
    ]
    expect(
      wrongIn(seen, 'the events of a turn', 'an answer of retrieve-context', 'the frames of a call'),
    ).toEqual([])
  })

  test('to who comes by a link that names what is not published', async () => {
    const seen = [
      ...(await typedSurfaces(server, narrowLink, QUESTIONS)),
      ...(await spokenSurfaces(server, narrowLink, QUESTIONS)),
      ...(await openSurfaces(server, narrowLink)),
    ]
    expect(wrongIn(seen, 'the events of a turn', 'an answer of retrieve-context')).toEqual([])
  })

  test('on any page, or in what serves', async () => {
    expect(
      wrongIn(await openSurfaces(server, link), 'a start over websocket', 'what serves the public'),
    ).toEqual([])
  })

  test('in the log, whatever was asked', () => {
    expect(server.logged.length).toBeGreaterThan(100)
    expect(sightings([{ where: 'the log', text: server.logged.join('') }], server.canaries)).toEqual([])
  })
})

test('[P5] in the namespaces that were private every canary shows once they are published, and no other', async () => {
  await server.call('POST', `${server.at}/publish`, { namespaces: server.hidden })
  await eventually(async () =>
    expect(sightings([{ where: '', text: await server.publicNow() }], server.canaries)).not.toEqual([]),
  )
  const seen = [
    ...(await typedSurfaces(server, link, QUESTIONS)),
    ...(await spokenSurfaces(server, link, QUESTIONS)),
    ...(await openSurfaces(server, link)),
  ]
  const found = sightings(seen, server.canaries)
  expect(new Set(found.map((sighting) => sighting.replace(/ shows in .*/, '')))).toEqual(
    new Set([
      'the name of a namespace',
      'a fact',
      'a fact of the capsule',
      'a fact of a file',
      'a fact of a namespace whose name is private',
      'words that bear out what is published too',
      'the text of a source',
      'the title of a source',
      'the name of a file',
    ]),
  )
  for (const where of [
    'the events of a turn',
    'the prompt of a typed session',
    'an answer of retrieve-context',
    'the frames of a call',
    'the public agent as the provider holds it',
    'what serves the public',
  ]) {
    expect(found).toContain(`a fact shows in ${where}`)
  }
})

test('[V17] [P4] who comes by a link for a part sees nothing of what else is published, typed or spoken', async () => {
  const part = (await server.share({ namespaces: ['essays'] })).token
  const whole = { where: 'what serves the public', text: await server.publicNow() }
  expect(sightings([whole], server.canaries)).not.toEqual([])
  const seen = [
    ...(await typedSurfaces(server, part, QUESTIONS)),
    ...(await spokenSurfaces(server, part, QUESTIONS)),
  ]
  expect(wrongIn(seen, 'the events of a turn', 'the frames of a call')).toEqual([])
})

test('[P5] [P6] taken back, nothing of it shows, nor in what a visitor is refused with', async () => {
  await server.call('POST', `${server.at}/unpublish`, { namespaces: ['essays', 'talks', ...server.hidden] })
  const seen = await openSurfaces(server, link)
  const refused = await server.send('POST', `/r/${link}/sessions`, { channel: 'text' })
  expect(refused).toMatchObject({ status: 503, code: 'public_runtime_not_ready' })
  const revoked = await server.share()
  await server.call('DELETE', `${server.at}/share-links/${revoked.id}`)
  const gone = await server.send('POST', `/r/${revoked.token}/sessions`, { channel: 'voice' })
  expect(gone).toMatchObject({ status: 404, code: 'share_link_invalid' })
  const texts = [
    ...seen.filter(({ where }) => where !== 'what serves the public'),
    { where: 'refusals', text: JSON.stringify([refused, gone]) },
  ]
  expect(sightings(texts, [...server.canaries, PUBLISHED])).toEqual([])
})
