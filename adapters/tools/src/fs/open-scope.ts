import { type Stats, existsSync } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative } from 'node:path'
import { type FsScopeTier, type SessionContext, chooseNarrowerTier } from '@parley/contracts'
import { type ToolCallRefusal, createToolCallRefusal } from '@parley/engine'
import type { ToolPolicy } from '../tool-policy.ts'
import { getSystemErrorCode, followPath, findProject, isWithinFolder, toPrintablePath } from './paths.ts'
import { type PathUse, foldPath, findProtectedName } from './protected-names.ts'

/** The part of the file system that a session may reach. */
export interface FileScope {
  readonly kind: 'scope'
  readonly tier: FsScopeTier
  /** A real path, like all paths here. */
  readonly workingDir: string
  readonly root: string
  /** Resolves a path, or tells why it may not be used. Callers must check again after opening. */
  resolve(path: string, use: PathUse): Promise<ResolvedPath | ToolCallRefusal>
  /** The path for people and models: relative to the working folder, or absolute outside it. */
  toShownPath(path: string): string
  /** Why a resolved path may not be used; undefined if it may. */
  findRefusal(path: string, use: PathUse): string | undefined
  /** The same for a hard link, whose other names may be out of scope. */
  findLinkedRefusal(file: Stats): Promise<string | undefined>
}

export interface ResolvedPath {
  readonly kind: 'place'
  readonly path: string
  readonly shown: string
  /** The existing folder, and the names to create below it; nothing is missing if the path exists. */
  readonly folder: string
  readonly missing: readonly string[]
}

/**
 * Opens the scope of the narrower tier of session and policy. `home` is the data folder in use. The default data folder
 * and any other that its files identify are out of reach too.
 */
export async function openScope(
  context: Pick<SessionContext, 'workingDir' | 'fsScopeTier'>,
  policy: Pick<ToolPolicy, 'tier' | 'root'>,
  home?: string,
): Promise<FileScope | ToolCallRefusal> {
  const workingDir = await findRealFolder(context.workingDir)
  if (workingDir === undefined)
    return createToolCallRefusal(
      `The working folder ${toPrintablePath(context.workingDir)} does not exist, so no file can be reached.`,
      'tool_failed',
    )
  const tier = chooseNarrowerTier(context.fsScopeTier, policy.tier)
  const root = await findRoot(tier, workingDir, policy.root)
  if (root === undefined)
    return createToolCallRefusal(
      `The working folder ${toPrintablePath(workingDir)} lies outside of ${toPrintablePath(policy.root ?? '')}, the root for all sessions here, so no file can be reached. Start a session in a folder inside it.`,
    )
  const homes = await Promise.all(
    [join(homedir(), '.parley'), ...(home === undefined ? [] : [home])].map(
      async (folder) => (await findRealFolder(folder)) ?? folder,
    ),
  )
  const policyRoot = policy.root === undefined ? undefined : await findRealFolder(policy.root)
  return createScope({ tier, workingDir, root, homes, policyRoot })
}

interface ScopeBounds {
  readonly tier: FsScopeTier
  readonly workingDir: string
  readonly root: string
  /** The data folders known by path. */
  readonly homes: readonly string[]
  /** The policy's root for all sessions. */
  readonly policyRoot: string | undefined
}

function createScope({ tier, workingDir, root, homes, policyRoot }: ScopeBounds): FileScope {
  // A server's session folder lies inside Parley's data, so names above it must not count as protected.
  const toPathWithinRoot = (path: string): string =>
    policyRoot !== undefined && isWithinFolder(path, policyRoot) ? relative(policyRoot, path) : path
  const isOwnData = createOwnDataCheck(homes, policyRoot)
  let ownFiles: Promise<readonly string[]> | undefined
  const toShownPath = (path: string): string =>
    toPrintablePath(isWithinFolder(path, workingDir) ? relative(workingDir, path) || '.' : path)

  const findRefusal: FileScope['findRefusal'] = (path, use) => {
    if (!isWithinFolder(path, root)) return describeOutside(tier, root)
    const folded = foldPath(path)
    if (SYSTEM_FOLDERS.some((folder) => isWithinFolder(folded, folder)))
      return 'belongs to the system and contains no files'
    if (isOwnData(path)) return OWN_DATA
    if (tier === 'full') return undefined
    return findProtectedName(toPathWithinRoot(path), use) && PROTECTED_REASONS[use]
  }

  return {
    kind: 'scope',
    tier,
    workingDir,
    root,
    toShownPath,
    findRefusal,
    async findLinkedRefusal({ nlink, dev, ino }) {
      if (nlink <= 1) return undefined
      if (tier !== 'full') return describeHardLink(nlink)
      ownFiles ??= Promise.all(homes.map(listLinkedFiles)).then((files) => files.flat())
      return (await ownFiles).includes(`${dev}:${ino}`) ? OWN_DATA : undefined
    },
    async resolve(given, use) {
      const named = toPrintablePath(given)
      const refusePath = (reason: string, code: ToolCallRefusal['code'] = 'tool_denied') =>
        createToolCallRefusal(`${named} ${reason}.`, code, named)
      if (given.includes('\0')) return refusePath('contains a NUL character', 'validation')
      if (tier !== 'full' && findProtectedName(toPathWithinRoot(given), use))
        return refusePath(PROTECTED_REASONS[use])
      const followed = await followPath(workingDir, given)
      if (followed.kind === 'lost') return refusePath(followed.reason, 'tool_failed')
      const path = join(followed.path, ...followed.missing)
      const reason = findRefusal(followed.path, use) ?? findRefusal(path, use)
      if (reason !== undefined) return refusePath(reason)
      return {
        kind: 'place',
        path,
        shown: toShownPath(path),
        folder: followed.path,
        missing: followed.missing,
      }
    },
  }
}

/** Checks whether a path lies in a data folder of Parley. A server's root for sessions is such a place, but allowed. */
function createOwnDataCheck(
  homes: readonly string[],
  policyRoot: string | undefined,
): (path: string) => boolean {
  const foldedHomes = homes.map(foldPath)
  /** By folder: the data folders around it, including itself. */
  const foldersAround = new Map<string, readonly string[]>()
  const listDataFoldersAround = (path: string): readonly string[] => {
    const known = foldersAround.get(path)
    if (known) return known
    const above = path === dirname(path) ? [] : listDataFoldersAround(dirname(path))
    const isData = foldedHomes.includes(foldPath(path)) || looksLikeDataFolder(path)
    const around = isData ? [...above, path] : above
    foldersAround.set(path, around)
    return around
  }
  const isInRootWithin = (path: string, folder: string): boolean =>
    policyRoot !== undefined &&
    policyRoot !== folder &&
    isWithinFolder(policyRoot, folder) &&
    isWithinFolder(path, policyRoot)
  return (path) => listDataFoldersAround(path).some((folder) => !isInRootWithin(path, folder))
}

const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev']

const OWN_DATA =
  "belongs to Parley's own data with keys and history, which tools never touch, even with approval"

/** A `history.db` alone may belong to any program. */
const looksLikeDataFolder = (folder: string): boolean =>
  ['history.key', 'history.check'].some((name) => existsSync(join(folder, name))) ||
  ['password', 'postgres.log', 'data'].every((name) => existsSync(join(folder, 'postgres', name)))

const describeHardLink = (names: number): string =>
  `is a hard link: the same file has ${names} names, and others may lie outside of this session's scope. A copy of it can be used`

/** The hard links in a folder tree, by device and inode. Files that disappear are skipped. */
async function listLinkedFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((failure: unknown) => {
    if (['ENOENT', 'ENOTDIR'].includes(getSystemErrorCode(failure))) return []
    throw failure
  })
  const files = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) return listLinkedFiles(path)
      const file = await lstat(path).catch(() => undefined)
      return file && file.nlink > 1 ? [`${file.dev}:${file.ino}`] : []
    }),
  )
  return files.flat()
}

const PROTECTED_REASONS: Readonly<Record<PathUse, string>> = {
  read: 'is protected: it may hold secrets, and tools never read it, even with approval. Continue without it',
  write:
    'is protected: it may hold secrets or start programs, and tools never change it, even with approval. Ask the person to change it themselves',
}

const describeOutside = (tier: FsScopeTier, root: string): string =>
  ({
    sandboxed: `lies outside of the working folder ${toPrintablePath(root)}, which this session does not leave (fs_scope "sandboxed")`,
    project: `lies outside of the project ${toPrintablePath(root)}, which this session does not leave (fs_scope "project")`,
    full: `lies outside of ${toPrintablePath(root)}, which no session leaves here`,
  })[tier]

/** Undefined if nothing is in scope. */
async function findRoot(
  tier: FsScopeTier,
  workingDir: string,
  givenRoot?: string,
): Promise<string | undefined> {
  const own = { sandboxed: () => workingDir, project: () => findProject(workingDir), full: () => '/' }
  const root = await own[tier]()
  if (givenRoot === undefined) return root
  const policyRoot = await findRealFolder(givenRoot)
  if (policyRoot === undefined || !isWithinFolder(workingDir, policyRoot)) return undefined
  return isWithinFolder(root, policyRoot) ? root : policyRoot
}

async function findRealFolder(path: string): Promise<string | undefined> {
  if (!isAbsolute(path)) return undefined
  try {
    const real = await realpath(path)
    return (await stat(real)).isDirectory() ? real : undefined
  } catch {
    return undefined
  }
}
