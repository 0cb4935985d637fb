// The engine's actions, as the toolchain provides them.

import actions from "engine:workload/actions@0.1.0";

export { actions };
