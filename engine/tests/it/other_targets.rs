//! nginx: a target nobody here wrote.

use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::kit::{Place, Ran, assert_identity, states};

#[test]
fn nginx_answers_and_every_arrival_is_accounted_for() {
    if Command::new("nginx").arg("-v").stderr(Stdio::null()).status().is_err() {
        eprintln!("skipped: nginx is not installed");
        return;
    }
    let place = Place::new();
    let here = place.path().display();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let config = format!(
        "daemon off; master_process off; pid {here}/pid; error_log {here}/error.log; events {{}}\n\
         http {{ access_log off; client_body_temp_path {here}/b; proxy_temp_path {here}/p; fastcgi_temp_path {here}/f;\n\
         uwsgi_temp_path {here}/u; scgi_temp_path {here}/s; keepalive_requests 20;\n\
         server {{ listen 127.0.0.1:{port}; location / {{ return 200 'hello'; }} }} }}"
    );
    place.write("nginx.conf", config.as_bytes());
    let mut nginx = Command::new("nginx")
        .arg("-e")
        .arg("stderr")
        .arg("-c")
        .arg(place.path().join("nginx.conf"))
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let up = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let ran = Ran::from(
        place
            .load(&format!("http://127.0.0.1:{port}/"), "200", "2s", &["--set", "limits.tolerance=5s"])
            .output()
            .unwrap(),
    );
    nginx.kill().unwrap();
    nginx.wait().unwrap();
    assert!(up, "nginx did not start");
    assert!([0, 12].contains(&ran.status), "{}", ran.stdout);
    let result = place.result();
    assert_identity(&result);
    // It closes each connection after 20 requests; no iteration suffers for it.
    assert_eq!(states(&result, "http")["ok"], 400, "{}", ran.stdout);
}
