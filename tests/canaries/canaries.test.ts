import { VoiceSessionResponse } from '@parley/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSql } from '../../adapters/postgres/src/server/testing/test-cluster.ts'
import { type SurfaceText, findSightings } from './canary.ts'
import { waitUntilPasses, PUBLISHED } from './planting-context.ts'
import { readOpenSurfaces } from './open-surfaces.ts'
import { type PlantedServer, startPlantedServer } from './planted-server.ts'
import { QUESTIONS, readSpokenSurfaces, readTypedSurfaces } from './visitor-surfaces.ts'

let server: PlantedServer
let link: string
/** Lists private namespaces beside a public one. */
let narrowLink: string
beforeAll(async () => {
  server = await startPlantedServer()
  link = (await server.share()).token
  narrowLink = (await server.share({ namespaces: ['essays', ...server.hidden] })).token
})
afterAll(() => server[Symbol.asyncDispose]())

/** Lists leaks, and surfaces without the public fact: there the search itself does not work. */
function findLeaks(seen: readonly SurfaceText[], ...wheres: readonly string[]): readonly string[] {
  const published = findSightings(seen, [PUBLISHED])
  const blind = wheres.filter((where) => !published.includes(`${PUBLISHED.place} shows in ${where}`))
  return [
    ...findSightings(seen, server.canaries),
    ...blind.map((where) => `no public fact shows in ${where}`),
  ]
}

/** Asks for the canaries by name. The first and last message are neutral: they become title and summary. */
const createCanaryQuestions = () => [
  'Good day.',
  ...Array.from({ length: Math.ceil(listStoredCanaries().length / EACH) }, (_, index) => {
    const some = listStoredCanaries().slice(index * EACH, (index + 1) * EACH)
    return `What of ${some.map(({ word }) => word).join(' and ')}?`
  }),
  'Where did you grow up?',
]
const EACH = 4

/** These are never stored as plain text. */
const NEVER_STORED = /refused|invalid|off the record|secret|key|token/
const listStoredCanaries = () => server.canaries.filter(({ place }) => !NEVER_STORED.test(place))

test('every canary is stored, and private artifacts and variables contain their canaries', async () => {
  const kept = listStoredCanaries()
  const stored = [{ where: 'the database', text: await readDatabaseText() }]
  expect(kept.length).toBeGreaterThan(25)
  expect(findSightings(stored, kept)).toHaveLength(kept.length)

  const artifacts = (await server.database.runtime.readPromoted(server.reflectionId))?.artifacts
  const parts = {
    capsule: artifacts?.capsule,
    narrative: artifacts?.persona_narrative,
    dossier: artifacts?.reflection_voice_dossier.private,
    pack: artifacts?.prompt_packs.private_memory,
  }
  const held = Object.entries(parts).map(([where, part]) => ({ where, text: JSON.stringify(part) }))
  const ofCapsule = server.canaries.filter(({ place }) => place === 'a fact of the capsule')
  expect(findSightings(held, ofCapsule)).toHaveLength(held.length)

  const start = { channel: 'voice', reflectionId: server.reflectionId }
  const { dynamicVariables } = VoiceSessionResponse.parse(
    (await server.call('POST', '/sessions', start)).answer,
  )
  const told = Object.entries(dynamicVariables).map(([where, text]) => ({ where, text }))
  expect(findSightings(told, server.canaries)).toEqual(
    expect.arrayContaining([
      'a message of the owner shows in session_recap',
      'the title of a session of the owner shows in user_context',
      'the name of the creator shows in creator_name',
      'the name of a namespace shows in reflection_namespaces',
    ]),
  )
})

async function readDatabaseText(): Promise<string> {
  const tables = await runSql(
    server.databaseUrl,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  const texts = tables.map(async ({ name }) =>
    JSON.stringify(await runSql(server.databaseUrl, `select t::text from ${String(name)} as t`)),
  )
  return (await Promise.all(texts)).join('\n')
}

describe('[P5] no private canary is visible', () => {
  test('to a visitor who types', async () => {
    const seen = await readTypedSurfaces(server, link, QUESTIONS)
    expect(
      findLeaks(seen, 'the events of a turn', 'the event stream', 'the prompt of a typed session'),
    ).toEqual([])
  })

  test('to a visitor who speaks', async () => {
    const seen = await readSpokenSurfaces(server, link, QUESTIONS)
    expect(
      findLeaks(
        seen,
        'the response to a spoken start',
        'a response of retrieve-context',
        'the frames of a call',
        'the provider’s record of a call',
        'the provider’s public agent',
        'the prompt of a spoken session',
      ),
    ).toEqual([])
  })

  test('to a visitor who asks for it by name', async () => {
    const seen = [
      ...(await readTypedSurfaces(server, link, createCanaryQuestions())),
      ...(await readSpokenSurfaces(server, link, createCanaryQuestions())),
    ]
    expect(
      findLeaks(seen, 'the events of a turn', 'a response of retrieve-context', 'the frames of a call'),
    ).toEqual([])
  })

  test('to a visitor whose link lists private namespaces', async () => {
    const seen = [
      ...(await readTypedSurfaces(server, narrowLink, QUESTIONS)),
      ...(await readSpokenSurfaces(server, narrowLink, QUESTIONS)),
      ...(await readOpenSurfaces(server, narrowLink)),
    ]
    expect(findLeaks(seen, 'the events of a turn', 'a response of retrieve-context')).toEqual([])
  })

  test('on any page or in the public artifacts', async () => {
    expect(
      findLeaks(await readOpenSurfaces(server, link), 'a start over websocket', 'the public artifacts'),
    ).toEqual([])
  })

  test('in the log', () => {
    expect(server.logged.length).toBeGreaterThan(100)
    expect(findSightings([{ where: 'the log', text: server.logged.join('') }], server.canaries)).toEqual([])
  })
})

test('[P5] publishing the private namespaces reveals their canaries and no others', async () => {
  await server.call('POST', `${server.at}/publish`, { namespaces: server.hidden })
  await waitUntilPasses(async () =>
    expect(
      findSightings([{ where: '', text: await server.readPublicArtifacts() }], server.canaries),
    ).not.toEqual([]),
  )
  const seen = [
    ...(await readTypedSurfaces(server, link, QUESTIONS)),
    ...(await readSpokenSurfaces(server, link, QUESTIONS)),
    ...(await readOpenSurfaces(server, link)),
  ]
  const found = findSightings(seen, server.canaries)
  expect(new Set(found.map((sighting) => sighting.replace(/ shows in .*/, '')))).toEqual(
    new Set([
      'the name of a namespace',
      'a fact',
      'a fact of the capsule',
      'a fact of a file',
      'a fact of a namespace with a private name',
      'evidence of a fact that is also public',
      'the text of a source',
      'the title of a source',
      'the name of a file',
    ]),
  )
  for (const where of [
    'the events of a turn',
    'the prompt of a typed session',
    'a response of retrieve-context',
    'the frames of a call',
    'the provider’s public agent',
    'the public artifacts',
  ]) {
    expect(found).toContain(`a fact shows in ${where}`)
  }
})

test('[V17] [P4] a visitor whose link lists one namespace sees nothing of the other public ones, typed or spoken', async () => {
  const part = (await server.share({ namespaces: ['essays'] })).token
  const whole = { where: 'the public artifacts', text: await server.readPublicArtifacts() }
  expect(findSightings([whole], server.canaries)).not.toEqual([])
  const seen = [
    ...(await readTypedSurfaces(server, part, QUESTIONS)),
    ...(await readSpokenSurfaces(server, part, QUESTIONS)),
  ]
  expect(findLeaks(seen, 'the events of a turn', 'the frames of a call')).toEqual([])
})

test('[P5] [P6] after unpublishing nothing is visible, also not in refusals', async () => {
  await server.call('POST', `${server.at}/unpublish`, { namespaces: ['essays', 'talks', ...server.hidden] })
  const seen = await readOpenSurfaces(server, link)
  const refused = await server.send('POST', `/r/${link}/sessions`, { channel: 'text' })
  expect(refused).toMatchObject({ status: 503, code: 'public_runtime_not_ready' })
  const revoked = await server.share()
  await server.call('DELETE', `${server.at}/share-links/${revoked.id}`)
  const gone = await server.send('POST', `/r/${revoked.token}/sessions`, { channel: 'voice' })
  expect(gone).toMatchObject({ status: 404, code: 'share_link_invalid' })
  const texts = [
    ...seen.filter(({ where }) => where !== 'the public artifacts'),
    { where: 'refusals', text: JSON.stringify([refused, gone]) },
  ]
  expect(findSightings(texts, [...server.canaries, PUBLISHED])).toEqual([])
})
