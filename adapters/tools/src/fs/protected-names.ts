/** The use of a path; listing or searching a folder counts as reading. */
export type PathUse = 'read' | 'write'

export interface ProtectedName {
  /** Consecutive names of a path; `*` matches anything within a name. Includes everything below. */
  readonly path: string
  readonly read: 'allowed' | 'refused'
  readonly write: 'allowed' | 'refused'
}

/** The row that forbids this use of a path, if any. Names are compared as the most lenient file system does. */
export function findProtectedName(path: string, use: PathUse): ProtectedName | undefined {
  const names = foldPath(path).split('/').filter(Boolean)
  const copied = names.map(removeCopySuffixes)
  if (copied.every((name, at) => name === names[at])) return findRow(names, use)
  // Editors name a hidden copy after a file that is not hidden.
  const unhidden = copied.map((name, at) => (name === names[at] ? name : name.replace(/^\./u, '')))
  return findRow(names, use) ?? findRow(copied, use) ?? findRow(unhidden, use)
}

function findRow(names: readonly string[], use: PathUse): ProtectedName | undefined {
  for (const [at, name] of names.entries()) {
    // A quick check: most names match no row.
    if (!ANY_FIRST.test(name)) continue
    const row = ROWS.find(({ likes }) =>
      likes.every((like, offset) => like.test(names[at + offset] ?? '')),
    )?.row
    if (row?.[use] === 'refused') return row
  }
  return undefined
}

/** The original name of a backup or an editor's copy. */
const removeCopySuffixes = (name: string): string =>
  name.replace(/^#(.+)#$/su, '$1').replace(COPY_SUFFIXES, '')

const COPY_SUFFIXES =
  /(?<=.)(?:~|\.~\d+~|\.(?:bak|backup|old|orig|save|saved|copy|tmp|temp|sw[a-p]|\d{1,3}))+$/u

export const foldPath = (path: string): string => path.split('/').map(foldName).join('/')

/** Removes differences that file systems ignore: case, width, invisible characters, trailing dots, streams. */
export function foldName(name: string): string {
  const folded = name
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    // Twice: a capital sharp s becomes "ss" only by its small letter.
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/(?<=.):.*$/su, '')
    .replace(/[. ]+$/u, '')
  // The short name that Windows gives to `.git`.
  return /^git~\d+$/.test(folded) ? '.git' : folded
}

const toForbiddenName = (path: string): ProtectedName => ({ path, read: 'refused', write: 'refused' })
const toReadOnlyName = (path: string): ProtectedName => ({ path, read: 'allowed', write: 'refused' })

/** Secrets, and files that other programs run. The first matching row wins. */
export const PROTECTED_NAMES: readonly ProtectedName[] = [
  ...['.git', '.parley'].map(toForbiddenName),

  ...['.env.example', '.env.sample', '.env.template'].map(toReadOnlyName),
  ...['.env-example', '.env_example', 'example.env', 'sample.env'].map(toReadOnlyName),
  ...['.env', '.env.*', '.env-*', '.env_*', '*.env', '.envrc'].map(toForbiddenName),

  ...['.ssh', '.gnupg', '.aws', '.azure', '.kube', '.config/gcloud', '.docker/config.json'].map(
    toForbiddenName,
  ),
  ...['.config/gh', '.config/hub', '.vault-token', '.terraform.d', '.password-store'].map(toForbiddenName),
  ...['.netrc', '_netrc', '.npmrc', '.pypirc', '.pgpass', '.my.cnf', '.htpasswd'].map(toForbiddenName),
  ...['.yarnrc.yml', '.s3cfg', '.boto', '.dockercfg', '.Xauthority', '.ICEauthority', '.rhosts'].map(
    toForbiddenName,
  ),
  ...['credentials.json', 'service-account*.json', 'service_account*.json', 'client_secret*.json'].map(
    toForbiddenName,
  ),
  ...['*.tfstate', '*.tfstate.*', '*.tfvars', '*.tfvars.json', '*.kubeconfig'].map(toForbiddenName),
  ...['.config/rclone', '.config/containers/auth.json', '.config/op', '.config/doctl'].map(toForbiddenName),
  ...['.cargo/credentials', '.cargo/credentials.toml', '.gem/credentials', '.m2/settings.xml'].map(
    toForbiddenName,
  ),
  ...['id_rsa', 'id_dsa', 'id_ecdsa', 'id_ed25519', 'id_ecdsa_sk', 'id_ed25519_sk'].map(toForbiddenName),
  ...['*.pem', '*.key', '*.p12', '*.pfx', '*.jks', '*.keystore', '*.kdbx', '*.ppk', '*.ovpn'].map(
    toForbiddenName,
  ),

  ...['Library/Keychains', 'Library/Cookies', '.local/share/keyrings', '*.keychain', '*.keychain-db'].map(
    toForbiddenName,
  ),
  ...['.mozilla', '.config/google-chrome', '.config/chromium', '.config/microsoft-edge'].map(toForbiddenName),
  ...['.config/BraveSoftware', 'Application Support/Google/Chrome', 'Application Support/Firefox'].map(
    toForbiddenName,
  ),
  ...['Login Data', 'cookies.sqlite', 'key4.db', 'logins.json'].map(toForbiddenName),

  ...['.git-credentials', '.gitconfig', '.config/git'].map(toForbiddenName),
  ...['.gitmodules', '.husky', '.githooks'].map(toReadOnlyName),

  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'].map(
    toForbiddenName,
  ),
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login'].map(
    toForbiddenName,
  ),
  ...['fish/config.fish', 'fish/conf.d', 'fish/functions'].map(toForbiddenName),
  ...['.bash_history', '.zsh_history', '.python_history', '.node_repl_history', '.psql_history'].map(
    toForbiddenName,
  ),
  ...['.mysql_history', '.sqlite_history', '.rediscli_history'].map(toForbiddenName),
  ...['.config/autostart', '.config/systemd', 'Library/LaunchAgents', 'Library/LaunchDaemons'].map(
    toReadOnlyName,
  ),

  ...['.vscode/tasks.json', '.vscode/settings.json', '.vscode/launch.json', '.idea'].map(toReadOnlyName),
]

const ROWS = PROTECTED_NAMES.map((row) => ({ row, likes: row.path.split('/').map(createNamePattern) }))
const ANY_FIRST = new RegExp(ROWS.map(({ likes: [first] }) => `(?:${first?.source})`).join('|'), 'su')

function createNamePattern(pattern: string): RegExp {
  const parts = pattern
    .split('*')
    .map((part) => part.toLowerCase().replace(/[.\\+?^${}()|[\]]/g, String.raw`\$&`))
  return new RegExp(`^${parts.join('.*')}$`, 'su')
}
