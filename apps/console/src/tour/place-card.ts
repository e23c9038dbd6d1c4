interface Box {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

interface Size {
  readonly width: number
  readonly height: number
}

const GAP = 12

/** Where a card stands so that it does not cover what it tells of: beside it, else below, above, or in the corner. */
export function placeCard(
  anchor: Box | undefined,
  card: Size,
  view: Size,
): { readonly left: number; readonly top: number } {
  const corner = { left: view.width - card.width - GAP, top: view.height - card.height - GAP }
  if (!anchor) return within(corner, card, view)
  const beside = anchor.left + anchor.width + GAP
  const below = anchor.top + anchor.height + GAP
  const above = anchor.top - card.height - GAP
  if (beside + card.width + GAP <= view.width) return within({ left: beside, top: anchor.top }, card, view)
  if (below + card.height + GAP <= view.height) return within({ left: anchor.left, top: below }, card, view)
  if (above >= GAP) return within({ left: anchor.left, top: above }, card, view)
  return within(corner, card, view)
}

const within = ({ left, top }: { left: number; top: number }, card: Size, view: Size) => ({
  left: clamp(left, view.width - card.width - GAP),
  top: clamp(top, view.height - card.height - GAP),
})

const clamp = (value: number, most: number) => Math.max(GAP, Math.min(value, most))
