import { Icon } from './icons.tsx';

export const ZoomButtons = (props: { zoom: (by: number) => void; fit: () => void; what: string }) => (
  <div class="zoom">
    <button
      type="button"
      class="icon"
      title="Zoom in"
      aria-label={`Zoom in on the ${props.what}`}
      onClick={() => props.zoom(1.4)}
    >
      <Icon name="plus" />
    </button>
    <button
      type="button"
      class="icon"
      title="Zoom out"
      aria-label={`Zoom out of the ${props.what}`}
      onClick={() => props.zoom(1 / 1.4)}
    >
      <Icon name="minus" />
    </button>
    <button
      type="button"
      class="icon"
      title="Show all"
      aria-label={`Show all of the ${props.what}`}
      onClick={props.fit}
    >
      <Icon name="fit" />
    </button>
  </div>
);
