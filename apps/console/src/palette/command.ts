/** What the palette can do besides going somewhere. */
export type PaletteAction =
  | 'new-session'
  | 'theme-system'
  | 'theme-light'
  | 'theme-dark'
  | 'shortcuts'
  | 'tour'
  | 'sign-out'

/** Something that the palette offers. */
export interface Command {
  readonly id: string
  readonly label: string
  /** What kind of thing it is, beside its name. */
  readonly kind: 'Page' | 'Reflection' | 'Session' | 'Action' | 'Source' | 'Fact'
  /** Whose it is, beside its kind. */
  readonly of?: string
  /** Words by which it is found, too. */
  readonly words?: string
  readonly does:
    | { readonly kind: 'go'; readonly href: string }
    | { readonly kind: 'act'; readonly action: PaletteAction }
}
