import type { ReactNode } from 'react';

// Drawn with a few strokes each, in the colour of the text around them. They say nothing that a word does not say too.

function drawn(strokes: ReactNode) {
  return function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
      >
        {strokes}
      </svg>
    );
  };
}

export type IconType = ReturnType<typeof drawn>;

export const OverviewIcon = drawn(
  <>
    <rect x="4" y="4" width="7" height="9" rx="1.5" />
    <rect x="4" y="16" width="7" height="4" rx="1.5" />
    <rect x="14" y="4" width="6" height="4" rx="1.5" />
    <rect x="14" y="11" width="6" height="9" rx="1.5" />
  </>,
);
export const SourceIcon = drawn(
  <>
    <ellipse cx="12" cy="6" rx="7" ry="3" />
    <path d="M5 6v12c0 1.7 3.1 3 7 3s7-1.3 7-3V6M5 12c0 1.7 3.1 3 7 3s7-1.3 7-3" />
  </>,
);
export const ConnectorIcon = drawn(<path d="M9 3v5M15 3v5M6 8h12v3a6 6 0 0 1-12 0zM12 17v4" />);
export const SyncIcon = drawn(<path d="M4 9h15l-4-4M20 15H5l4 4" />);
export const RunIcon = drawn(<path d="M7 4.5v15l12-7.5z" />);
export const LogIcon = drawn(<path d="M5 5h14M5 10h14M5 15h9M5 20h6" />);
export const MetricsIcon = drawn(<path d="M4 4v16h16M8 15l4-5 3 3 5-7" />);
export const OrderIcon = drawn(<path d="M6 8h12l1 12H5zM9 8V7a3 3 0 0 1 6 0v1" />);
export const ProductIcon = drawn(<path d="M12 3l8 4.5v9L12 21l-8-4.5v-9zM4 7.5l8 4.5 8-4.5M12 12v9" />);
export const CustomerIcon = drawn(
  <>
    <circle cx="12" cy="8" r="4" />
    <path d="M4.500 20c.8-4 3.800-6 7.500-6s6.700 2 7.500 6" />
  </>,
);
export const KeyIcon = drawn(
  <>
    <circle cx="8" cy="15" r="4" />
    <path d="M11 12l8-8M16 7l3 3" />
  </>,
);
export const NodeIcon = drawn(
  <>
    <rect x="4" y="4" width="16" height="6" rx="1.5" />
    <rect x="4" y="14" width="16" height="6" rx="1.5" />
    <path d="M8 7h.01M8 17h.01" />
  </>,
);
export const AuditIcon = drawn(<path d="M6 3h9l4 4v14H6zM14 3v5h5M9 13l2 2 4-4" />);
/** Something that goes out, and something that comes in. */
export const WebhookIcon = drawn(<path d="M4 12h11M11 7.500L15.500 12 11 16.500M19.500 5v14" />);
export const HookIcon = drawn(<path d="M20 12H9M13 7.500L8.500 12l4.500 4.500M4.500 5v14" />);
export const AlertIcon = drawn(<path d="M6 16v-5a6 6 0 0 1 12 0v5l1.500 2h-15zM10 20.500c1 .8 3 .8 4 0" />);
export const CheckIcon = drawn(<path d="M5 12.5l4.5 4.5L19 7.5" />);
export const CopyIcon = drawn(
  <>
    <rect x="9" y="9" width="11" height="11" rx="2" />
    <path d="M15 9V6a2 2 0 0 0-2-2H6a2 2 0 0 0-2 2v7a2 2 0 0 0 2 2h3" />
  </>,
);
export const DownloadIcon = drawn(<path d="M12 4v11M7.5 10.500L12 15l4.500-4.500M5 20h14" />);
export const TerminalIcon = drawn(<path d="M5 7l5 5-5 5M12 18h7" />);
export const SunIcon = drawn(
  <>
    <circle cx="12" cy="12" r="4" />
    <path d="M12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1" />
  </>,
);
export const MoonIcon = drawn(<path d="M19 14.5A8 8 0 0 1 9.5 5 8 8 0 1 0 19 14.5z" />);
export const SystemIcon = drawn(
  <>
    <rect x="3" y="5" width="18" height="12" rx="1.5" />
    <path d="M9 21h6M12 17v4" />
  </>,
);
export const SignOutIcon = drawn(<path d="M14 4H6v16h8M10 12h10l-3.5-3.5M20 12l-3.5 3.5" />);
export const PreviousIcon = drawn(<path d="M14.5 6l-6 6 6 6" />);
export const NextIcon = drawn(<path d="M9.5 6l6 6-6 6" />);
export const ReferenceIcon = drawn(<path d="M4 5c3-1 6-.5 8 1 2-1.500 5-2 8-1v14c-3-1-6-.5-8 1-2-1.500-5-2-8-1zM12 6v14" />);
export const SearchIcon = drawn(
  <>
    <circle cx="11" cy="11" r="6.500" />
    <path d="M16 16l4.500 4.500" />
  </>,
);
export const MapIcon = drawn(
  <>
    <rect x="3" y="4" width="6" height="5" rx="1.500" />
    <rect x="3" y="15" width="6" height="5" rx="1.500" />
    <rect x="15" y="9.500" width="6" height="5" rx="1.500" />
    <path d="M9 6.500h2a2 2 0 0 1 2 2v1.500a2 2 0 0 0 2 2M9 17.500h2a2 2 0 0 0 2-2v-1.500a2 2 0 0 1 2-2" />
  </>,
);
