import { anyLetter } from '@parley/contracts/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldName, PROTECTED_NAMES, findProtectedName } from './protected-names.ts'

const stands = (pattern: string) => pattern.replaceAll('*', 'some')

describe.each(PROTECTED_NAMES)('[S13] $path', ({ path, read, write }) => {
  test.each([
    ['at the top', `/${stands(path)}`],
    ['below a folder', `/home/ada/notes/${stands(path)}`],
    ['with all its content', `/home/ada/${stands(path)}/deeper/file`],
    ['in upper case', `/home/ada/${stands(path).toUpperCase()}`],
    ['with trailing dots and spaces', `/home/ada/${stands(path)}. .`],
  ])('is protected %s', (_, given) => {
    expect(findProtectedName(given, 'read') !== undefined).toBe(read === 'refused')
    expect(findProtectedName(given, 'write') !== undefined).toBe(write === 'refused')
  })
})

test.each([
  ['full width letters', '.ＧＩＴ'],
  ['upper case', '.GIT'],
  ['a zero-width non-joiner, which HFS+ ignores', '.g\u{200c}it'],
  ['a zero-width joiner at the end', '.git\u{200d}'],
  ['a byte order mark', '\u{feff}.git'],
  ['a direction mark', '.gi\u{202e}t'],
  ['a variation selector', '.git\u{fe0f}'],
  ['a trailing dot', '.git.'],
  ['a trailing space', '.git '],
  ['a stream', '.git::$INDEX_ALLOCATION'],
  ['the short name on Windows', 'GIT~1'],
  ['a one dot leader', '\u{2024}git'],
])('[S13] attack: .git written with %s', (_, name) => {
  expect(findProtectedName(`/home/ada/${name}/config`, 'read')).toMatchObject({ path: '.git' })
})

test.each([
  ['.ſsh', '.ssh'],
  ['.ßh', '.ssh'],
  ['.ẞh', '.ssh'],
  ['.\u{212a}ube', '.kube'],
])('[S13] attack: %s is %s after case folding', (written, protectedName) => {
  expect(findProtectedName(`/home/ada/${written}/x`, 'write')).toMatchObject({ path: protectedName })
})

test.each([
  '.env~',
  '.env.bak',
  '.env.production.old',
  '.env-production',
  '.env_local',
  'production.env',
  'production.env.bak~',
  'id_rsa.bak',
  'id_rsa~',
  'id_rsa.bak.old~',
  '.id_rsa.swp',
  '.server.key.swp',
  '.netrc.orig',
  '.npmrc.save',
  'server.key.tmp',
  '#.netrc#',
  'server.pem.~1~',
  '.ssh.bak/config',
  '.aws.old/credentials',
  '.GIT.BAK/config',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  'prod.tfvars',
  '.XAUTHORITY',
  'service-account-prod.json',
])('[S13] attack: the similar name %s is protected', (path) => {
  expect(findProtectedName(`/home/ada/notes/${path}`, 'read')).toBeDefined()
  expect(findProtectedName(`/home/ada/notes/${path}`, 'write')).toBeDefined()
})

test.each([
  'src/git.ts',
  '.github/workflows/test.yml',
  '.gitignore',
  '.gitattributes',
  'environment.ts',
  'src/.environment',
  'keys.ts',
  'id_rsa.pub',
  '.vscode/extensions.json',
  '.config/app.json',
  '.docker/Dockerfile',
  'fish/menu.txt',
  'vite.env.d.ts',
  'src/env.ts',
  'notes.bak',
  'a.txt~',
  'main.tf',
  'variables.tf',
  'terraform.tfvars.example',
  'accounts.json',
  '.yarnrc',
  'backup.tmp/a.txt',
  '.a.txt.swp',
])('%s may be read and written', (path) => {
  expect(findProtectedName(`/home/ada/notes/${path}`, 'read')).toBeUndefined()
  expect(findProtectedName(`/home/ada/notes/${path}`, 'write')).toBeUndefined()
})

test('an example environment file may be read, similar names may not', () => {
  expect(findProtectedName('/notes/.env.example', 'read')).toBeUndefined()
  expect(findProtectedName('/notes/.env.example', 'write')).toBeDefined()
  expect(findProtectedName('/notes/.env.example.local', 'read')).toBeDefined()
  expect(findProtectedName('/notes/.env/.env.example', 'read')).toBeDefined()
})

test('folding a name twice equals folding it once', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyLetter }), (name) => {
      expect(foldName(foldName(name))).toBe(foldName(name))
    }),
  )
})
