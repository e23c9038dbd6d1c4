/** How the view of a session at an address is called; undefined for what was said, which is the session itself. */
export function viewAt(pathname: string): string | undefined {
  const [view = ''] = pathname.split('/').slice(3)
  return view === '' ? undefined : view.charAt(0).toUpperCase() + view.slice(1)
}
